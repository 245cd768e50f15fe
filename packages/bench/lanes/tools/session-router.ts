/** Routes each session to an object of its own, for libraries that keep sessions in memory. */

interface SessionBindings {
  readonly MCP_SESSION: DurableObjectNamespace
}

/** The name of the object is the session id, which the object reads from `ctx.id.name`. */
export const sessionRouter = {
  fetch(request: Request, { MCP_SESSION }: SessionBindings): Promise<Response> {
    const name = request.headers.get('mcp-session-id') ?? crypto.randomUUID()
    return MCP_SESSION.getByName(name).fetch(request)
  },
}
