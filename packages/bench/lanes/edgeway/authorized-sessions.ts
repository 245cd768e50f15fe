import { changes } from '../../../../src/features/changes/index.ts'
import { sessions } from '../../../../src/features/sessions/index.ts'
import { protect } from './protect.ts'

const edgeway = protect({}, sessions(), changes())

export default edgeway
export class McpObjects extends edgeway.Objects {}
