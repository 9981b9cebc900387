"""The service: indexes over HTTP, for the explorer in a browser and for other programs. See docs/guide/serving.md."""
