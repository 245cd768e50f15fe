import { hundredTools } from '../tools/catalogue.ts'
import { sessionClass } from './session-class.ts'

export { sessionRouter as default } from '../tools/session-router.ts'
export const Session = sessionClass(hundredTools)
