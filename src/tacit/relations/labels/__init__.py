"""Labels of records: readers for their forms, and the sparse 0/1 matrix that holds them."""
