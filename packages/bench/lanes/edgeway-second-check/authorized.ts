/** Uses a grant check for one second, so that a client with pauses waits for a check on every call. */
import { protect } from '../edgeway/protect.ts'

const edgeway = protect({ grantCheckFreshMs: 1_000, grantCheckMaxAgeMs: 1_000 })

export default edgeway
export class McpObjects extends edgeway.Objects {}
