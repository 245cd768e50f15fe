/** The log class of the tests, with the part of the inspector where the project has it. */
import { createLogClass } from '../../durable-objects/log/log-object.ts'
import type { CreateTrafficPart } from '../../durable-objects/log/traffic-part.ts'
import { TrafficLog } from '../../durable-objects/traffic/traffic-log.ts'

const parts: CreateTrafficPart[] = []
parts.push((tables) => new TrafficLog(tables))

export const McpLog = createLogClass((tables) => parts[0]?.(tables))
