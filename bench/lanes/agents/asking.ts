import { createAskingServer } from '../sdk/two-rounds.ts'
import { serveWith } from './serve.ts'

export default serveWith(createAskingServer)
