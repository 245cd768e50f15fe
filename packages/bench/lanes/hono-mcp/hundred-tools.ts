import { hundredTools } from '../tools/catalogue.ts'
import { serve } from './serve.ts'

export default serve(hundredTools)
