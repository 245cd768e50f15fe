import { protect } from './protect.ts'

const edgeway = protect()

export default edgeway
export const { McpKeyring, McpAccount } = edgeway.objects
