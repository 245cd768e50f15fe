/** The Worker of the tests. It exports the Durable Objects and answers every request with 404. */
import { createLogClass } from '../../durable-objects/log/log-object.ts'
import type { CreateTrafficPart } from '../../durable-objects/log/traffic-part.ts'
import { TrafficLog } from '../../durable-objects/traffic/traffic-log.ts'

export { McpHub } from '../../durable-objects/hub/hub-object.ts'
export { McpState } from '../../durable-objects/state/state-object.ts'
export { UnusedObject } from '../../durable-objects/unused-object.ts'
export { AuditLog } from '../../examples/audit/worker.ts'
export { CodeSession, CodeTask } from '../code/support/code-server.ts'
export { ScopedSession, ScopedTask } from '../code/support/scoped-server.ts'
export { SubscriberObject } from '../durable-objects/events/subscriber-object.ts'
export { RowsEvents } from '../events/support/rows-server.ts'
export { InspectedSession, InspectedTask } from '../inspect/support/object-server.ts'
export { SearchSession, SearchTask } from '../search/support/search-server.ts'
export {
  LowCapsAccount,
  McpAccount,
  ShortGrantsAccount,
  ShortRefreshTokensAccount,
  ThreeGrantsAccount,
} from './account-classes.ts'
export { AuthorizedSession } from './authorized-server.ts'
export { EventLogObject } from './event-log-object.ts'
export { FactorySession } from './factory-server.ts'
export {
  AuthorizedHeldSession,
  AuthorizedHeldTask,
  HeldSession,
  HeldTask,
} from './held-server.ts'
export { AuthorizedJobTask, JobSession, JobTask } from './job-server.ts'
export { LastingKeyring as McpKeyring } from './lasting-keyring.ts'
export { OpenedEvents, OpenedTask } from './opened-objects.ts'
export { McpSession } from './session-server.ts'
export { SubjectSession } from './subject-server.ts'
export { AuthorizedTask, AuthorizedTaskSession, McpTask, TaskSession } from './task-server.ts'
export { ToolTask, ToolTaskSession } from './tool-task-server.ts'
export { DocsSession, DocsTask, NotesSession, NotesTask } from './two-servers.ts'

const createParts: CreateTrafficPart[] = []
createParts.push((tables) => new TrafficLog(tables))
export const McpLog = createLogClass((tables) => createParts[0]?.(tables))

export default { fetch: () => new Response(null, { status: 404 }) }
