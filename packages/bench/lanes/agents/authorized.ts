import { protect } from '../oauth-provider/protect.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

export default protect(serve([echo]))
