"""The explorer as a folder of files for any web server, without a service behind it."""
