/** The Worker of the tests. It exports the Durable Objects and answers every request with 404. */
export { AuditLog } from '../../examples/audit/audit.ts'
export { SubscriberObject } from '../../packages/events/test/objects/subscriber-object.ts'
export {
  LowCapsAccount,
  ShortGrantsAccount,
  ShortRefreshTokensAccount,
  ThreeGrantsAccount,
} from './account-classes.ts'
export { EventLogObject } from './event-log-object.ts'
export { McpObjects } from './worker-objects.ts'

export default { fetch: () => new Response(null, { status: 404 }) }
