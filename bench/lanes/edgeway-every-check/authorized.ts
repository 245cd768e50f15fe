/** Checks the grant on every call, as happens to a client that calls less than once per second. */
import { protect } from '../edgeway/protect.ts'

const edgeway = protect(0)

export default edgeway
export const { McpKeyring, McpAccount } = edgeway.objects
