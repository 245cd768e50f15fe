/** The server of `authorized.ts` with listeners, counting what the platform bills. */
import { changes } from '../../../../src/features/changes/index.ts'
import { countedClass, countedWorker } from '../tools/counting.ts'
import { protect } from './protect.ts'

const edgeway = protect({}, changes())

export default countedWorker(edgeway)
export const McpObjects = countedClass(edgeway.Objects)
