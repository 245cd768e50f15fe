/** `GET /inspect/config.json`: what the page knows about its server. */
import type { InspectedServer } from '../src/inspector/inspected-server.ts'

export type ServerConfig = InspectedServer

export const CONFIG_PATH = '/inspect/config.json'
