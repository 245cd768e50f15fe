import { sessions } from '../../../../src/features/sessions/index.ts'
import { hundredTools } from '../tools/catalogue.ts'
import { serve } from './serve.ts'

const edgeway = serve(hundredTools, { features: [sessions()] })

export default edgeway
export class McpObjects extends edgeway.Objects {}
