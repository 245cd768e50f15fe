/**
 * Accounts at other services: a tool reads the issues of a person in their tracker, and posts them in their chat. The first
 * call asks the person to connect an account. Needs the bindings of `wrangler.toml` in this folder.
 *
 *     npx wrangler dev examples/connections/worker.ts
 *
 * `services.ts` plays both services on this computer.
 */
import { Hono } from 'hono'
import { inspector } from '../../packages/inspector/src/inspector/index.ts'
import { embedded } from '../../src/auth/index.ts'
import { connections, oauth } from '../../src/features/connections/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { createEdgeway, createServer } from '../../src/index.ts'
import { chat, tracker } from './services.ts'
import { registerTools } from './tools.ts'

export const server = createServer({
  name: 'standup',
  version: '1.0.0',
  uses: [
    connections({
      chat: oauth({ ...chat.oauth, name: 'Chat', scopes: ['post'] }),
      tracker: oauth({ ...tracker.oauth, name: 'Tracker', scopes: ['issues:read'] }),
    }),
  ],
})

registerTools(server)

const edgeway = createEdgeway(server, {
  auth: embedded({ scopes: { 'standup:use': 'Read your issues and post in your chat' } }),
  features: [sessions(), inspector()],
})

const app = new Hono()
app.all('/chat/*', (c) => chat.fetch(c.req.raw))
app.all('/tracker/*', (c) => tracker.fetch(c.req.raw))
app.route('/', edgeway.app)

export default app

export class McpObjects extends edgeway.Objects {}
