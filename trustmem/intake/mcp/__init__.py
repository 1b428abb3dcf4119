"""The door for agents over MCP: the same deeds and answers as over HTTP, as tools."""
