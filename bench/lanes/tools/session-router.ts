/** The Worker in front of libraries that keep their sessions in memory: an object for each session. */

interface SessionBindings {
  readonly MCP_SESSION: DurableObjectNamespace
}

/** The object is named by the id of its session, which it gives as its own: `ctx.id.name`. */
export const sessionRouter = {
  fetch(request: Request, { MCP_SESSION }: SessionBindings): Promise<Response> {
    const name = request.headers.get('mcp-session-id') ?? crypto.randomUUID()
    return MCP_SESSION.getByName(name).fetch(request)
  },
}
