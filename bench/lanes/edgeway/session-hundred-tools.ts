import { hundredTools } from '../tools/catalogue.ts'
import { serve } from './serve.ts'

const edgeway = serve(hundredTools)

export default edgeway
export const { McpSession, McpKeyring } = edgeway.objects
