/**
 * An API with many operations: clients list a tool that finds the others and one that calls them, and the operation that
 * most people need. All who know the URL act with the key in PARCELS_KEY.
 *
 *     npx wrangler secret put PARCELS_KEY
 *     npx wrangler dev examples/search/worker.ts
 */
import { search } from '../../packages/code/src/search/index.ts'
import { fromOpenAPI } from '../../packages/openapi/src/index.ts'
import { createEdgeway } from '../../src/index.ts'
import description from '../openapi/description.json' with { type: 'json' }

const server = fromOpenAPI(description, { auth: { secret: 'PARCELS_KEY' } })

export default createEdgeway(server, { features: [search({ pinned: ['get_parcel'] })] })
