/** Checks the grant on every call. */
import { protect } from '../edgeway/protect.ts'

const edgeway = protect({ grantCheckMaxAgeMs: 0 })

export default edgeway
export class McpObjects extends edgeway.Objects {}
