/** The protected app of the definition. Needs the bindings of the `wrangler.toml` at the root. */
import { changes, createEdgeway, embedded, sessions, state } from '../../src/index.ts'
import { server } from './server.ts'

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: { 'shop:use': 'See prices and order', 'orders:read': 'See your orders' },
  }),
  features: [sessions(), changes(), state()],
})

export default edgeway

export class McpHub extends edgeway.objects.McpHub {}
export class McpKeyring extends edgeway.objects.McpKeyring {}
export class McpSession extends edgeway.objects.McpSession {}
export class McpAccount extends edgeway.objects.McpAccount {}
export class McpState extends edgeway.objects.McpState {}
