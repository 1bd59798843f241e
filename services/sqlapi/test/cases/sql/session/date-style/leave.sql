SET DateStyle = 'German'
