/** The server of `listening.ts`, counting what the platform bills. */
import { countedWorker } from '../tools/counting.ts'
import listening from './listening.ts'

export default countedWorker(listening)
