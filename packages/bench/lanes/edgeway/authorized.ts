import { protect } from './protect.ts'

const edgeway = protect()

export default edgeway
export class McpObjects extends edgeway.Objects {}
