import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

const edgeway = serve([echo])

export default edgeway
export const { McpSession, McpKeyring } = edgeway.objects
