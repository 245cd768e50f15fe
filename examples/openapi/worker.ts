/**
 * An existing API as an MCP server: one tool for each operation of its OpenAPI description. The key of the
 * API is a secret of the Worker, and no client sees it. All who know the URL act with this key: `auth` with a
 * function sends the key of each person.
 *
 *     npx wrangler secret put PARCELS_KEY
 *     npx wrangler dev examples/openapi/worker.ts
 */

import { fromOpenAPI } from '../../packages/openapi/src/index.ts'
import { createEdgeway } from '../../src/index.ts'
import description from './description.json' with { type: 'json' }

const server = fromOpenAPI(description, {
  auth: { secret: 'PARCELS_KEY' },
  exclude: { tags: ['internal'] },
  operations: {
    // A header that is always the same is no argument.
    get_parcel: { fixed: { 'Api-Version': '2026-01' } },
    send_parcel: { description: 'Sends a parcel. Ask the person before: it is paid at once.' },
  },
})

export default createEdgeway(server)
