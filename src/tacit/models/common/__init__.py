"""What several models share. A folder of one paper imports this one, never the folder of another paper."""
