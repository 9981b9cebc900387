"""Labels of records: the forms in which people hold them, and the sparse 0/1 matrix they become."""
