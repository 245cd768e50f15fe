/** A server of tests, whose handlers have the members of all features: what its app lacks, a test says. */
import { type GrantProps, McpServer } from '../../src/index.ts'
import type {
  AskMembers,
  ChangeMembers,
  ConnectionMembers,
  EventMembers,
  FileMembers,
  FullContext,
  StateMembers,
} from '../../src/server/context.ts'

interface AllMembers
  extends AskMembers,
    StateMembers,
    FileMembers,
    EventMembers,
    ChangeMembers,
    ConnectionMembers {}

export class FullServer<Env = unknown, Props = GrantProps> extends McpServer<
  Env,
  Props,
  AllMembers
> {}

export type { FullContext }
