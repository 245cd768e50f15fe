import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

export default serve([echo])
