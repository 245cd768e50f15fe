/** The protected app of the definition. Needs the bindings of the `wrangler.toml` at the root. */

import { embedded } from '../../src/auth/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { state } from '../../src/features/state/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { server } from './server.ts'

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: { 'shop:use': 'See prices and order', 'orders:read': 'See your orders' },
  }),
  features: [sessions(), changes(), state()],
})

export default edgeway

export class McpObjects extends edgeway.Objects {}
