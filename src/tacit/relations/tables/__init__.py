"""Relations between objects of several types: users, items, words, authors, and the tables between them."""
