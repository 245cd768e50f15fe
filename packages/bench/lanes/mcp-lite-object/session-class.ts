/** mcp-lite with its in-memory session adapter in one object per session. */
import { DurableObject } from 'cloudflare:workers'
import { InMemorySessionAdapter, StreamableHttpTransport } from 'mcp-lite'
import { createServer } from '../mcp-lite/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

/** The value in mcp-lite's documentation. */
const MAX_EVENT_BUFFER_SIZE = 1024

class NamedSessionAdapter extends InMemorySessionAdapter {
  readonly #name: string

  constructor(name: string) {
    super({ maxEventBufferSize: MAX_EVENT_BUFFER_SIZE })
    this.#name = name
  }

  override generateSessionId(): string {
    return this.#name
  }
}

export function sessionClass(tools: readonly LaneTool[]) {
  return class extends DurableObject {
    readonly #handle = new StreamableHttpTransport({
      sessionAdapter: new NamedSessionAdapter(this.ctx.id.name ?? ''),
    }).bind(createServer(tools))

    override fetch(request: Request): Promise<Response> {
      return this.#handle(request)
    }
  }
}
