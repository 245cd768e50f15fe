/** The server of `listening.ts`, counting what the platform bills. */
import { countedClass, countedWorker } from '../tools/counting.ts'
import listening, { McpObjects as Listening } from './listening.ts'

export const McpObjects = countedClass(Listening)
export default countedWorker(listening)
