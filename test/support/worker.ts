/** The Worker that the tests run in: it exports the objects, and serves nothing. */
export { McpAccount } from '../../durable-objects/account/account-object.ts'
export { McpHub } from '../../durable-objects/hub/hub-object.ts'
export { McpKeyring } from '../../durable-objects/keyring/keyring-object.ts'
export { McpSession } from './session-server.ts'

export default { fetch: () => new Response(null, { status: 404 }) }
