/** The server of `listening.ts`, counting what the platform bills. */
import { countedClass, countedWorker } from '../tools/counting.ts'
import listening, * as objects from './listening.ts'

export const McpHub = countedClass(objects.McpHub)
export default countedWorker(listening)
