/** The grant behind a token is looked at for every call, as for a client that calls now and then. */
import { protect } from '../edgeway/protect.ts'

const edgeway = protect(0)

export default edgeway
export const { McpKeyring, McpAccount } = edgeway.objects
