import { createAskingServer } from '../sdk/elicitation-server.ts'
import { serveWith } from './serve.ts'

export default serveWith(createAskingServer)
