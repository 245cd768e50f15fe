import { echo } from '../tools/echo.ts'
import { sessionClass } from './session-class.ts'

export { sessionRouter as default } from '../tools/session-router.ts'
export const Session = sessionClass([echo])
