"""The stages of a build that go over blocks of records."""
