import { sessions } from '../../../../src/features/sessions/index.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

const edgeway = serve([echo], { features: [sessions()] })

export default edgeway
export class McpObjects extends edgeway.Objects {}
