/** The Worker of the tests. It exports the Durable Objects and answers every request with 404. */
import { createAccountClass } from '../../durable-objects/account/account-object.ts'
import { LIMIT_SETS } from '../contracts/accounts/limit-sets.ts'

export { McpHub } from '../../durable-objects/hub/hub-object.ts'
export { McpState } from '../../durable-objects/state/state-object.ts'
export { AuditLog } from '../../examples/audit/worker.ts'
export { AuthorizedSession } from './authorized-server.ts'
export { FactorySession } from './factory-server.ts'
export { AuthorizedJobTask, JobSession, JobTask } from './job-server.ts'
export { LastingKeyring as McpKeyring } from './lasting-keyring.ts'
export { McpSession } from './session-server.ts'
export { SubjectSession } from './subject-server.ts'
export { AuthorizedTask, AuthorizedTaskSession, McpTask, TaskSession } from './task-server.ts'
export { ToolTask, ToolTaskSession } from './tool-task-server.ts'
export { DocsSession, DocsTask, NotesSession, NotesTask } from './two-servers.ts'

export const McpAccount = createAccountClass()
export const ShortGrantsAccount = createAccountClass(LIMIT_SETS.shortGrants)
export const ShortRefreshTokensAccount = createAccountClass(LIMIT_SETS.shortRefreshTokens)
export const ThreeGrantsAccount = createAccountClass(LIMIT_SETS.threeGrants)
export const LowCapsAccount = createAccountClass(LIMIT_SETS.lowCaps)

export default { fetch: () => new Response(null, { status: 404 }) }
