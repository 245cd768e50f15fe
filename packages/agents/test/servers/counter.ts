/**
 * A counter in the state of the session, with the calls of the example `mcp` of `cloudflare/agents`:
 * `initialState`, `setState`, and a resource that reads the state.
 */
import { z } from 'zod'
import { McpServer } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

type State = { counter: number }

/** The states that `onStateUpdate` was called with. */
export const updates: State[] = []

export class Counter extends McpAgent<Cloudflare.Env, State> {
  server = new McpServer({ name: 'Counter', version: '1.0.0' })

  // A project with `noImplicitOverride` adds this word, twice.
  override initialState: State = { counter: 1 }

  async init() {
    this.server.resource('counter', 'mcp://resource/counter', (uri) => ({
      contents: [{ uri: uri.href, text: String(this.state.counter) }],
    }))

    this.server.registerTool(
      'add',
      { description: 'Adds to the counter', inputSchema: { a: z.number() } },
      async ({ a }) => {
        this.setState({ ...this.state, counter: this.state.counter + a })
        return { content: [{ type: 'text', text: `The total is ${this.state.counter}` }] }
      },
    )
  }

  override onStateUpdate(state: State) {
    updates.push(state)
  }
}

export const counterWorker = Counter.serve('/mcp', { binding: 'COUNTER', transport: 'auto' })
