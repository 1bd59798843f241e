LISTEN news
