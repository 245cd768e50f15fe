import { mcp, type RequirementDocument } from './requirement.ts'

const PATH = 'basic/utilities/tasks'
const at = (anchor: string) => mcp(`${PATH}#${anchor}`, '2025-11-25')

const EARLIER = 'test/durable-objects/task/earlier-revision.test.ts'
const CALL = `${EARLIER} > a call with params.task`
const RESULT = `${EARLIER} > tasks/result`
const ASKS = 'test/durable-objects/task/session-asks.test.ts'
const ASK = `${ASKS} > an ask of a task, in a session`
const STATUS = `${ASKS} > notifications/tasks/status`
const UNKNOWN = `${RESULT} > %s refuses an unknown task with -32602`
const CANCEL = `${EARLIER} > tasks/cancel > cancels a task before it answers, and refuses one that is over`
const LIST = `${EARLIER} > tasks/list > lists the tasks of the principal alone, page by page`
const AT_ONCE = `${CALL} > is a task at once, for the requested time`

/** The experimental tasks of 2025-11-25. */
export const earlierTasks: RequirementDocument = {
  title: 'Tasks (2025-11-25)',
  pages: mcp(PATH, '2025-11-25'),
  requirements: [
    {
      id: 'capability-is-declared',
      level: 'MUST',
      clauses: at('capabilities'),
      says: 'The server declares the capability tasks.',
      tests: [
        `${EARLIER} > a server with tasks, in 2025-11-25 > declares tasks, and their list for callers with a principal only`,
      ],
    },
    {
      id: 'client-needs-the-capability',
      level: 'MUST NOT',
      clauses: at('tool-level-negotiation'),
      says: 'The client asks for no task of a tool where the server does not declare them.',
      concerns: 'client',
    },
    {
      id: 'client-respects-task-support',
      level: 'MUST NOT',
      clauses: at('tool-level-negotiation'),
      says: 'The client asks for no task of a tool that does not support them.',
      concerns: 'client',
      tests: [`${CALL} > is refused for %s > a tool without tasks`],
    },
    {
      id: 'client-calls-required-as-task',
      level: 'MUST',
      clauses: at('tool-level-negotiation'),
      says: 'The client calls a tool that requires tasks as a task.',
      concerns: 'client',
      tests: [`${CALL} > is required by a tool that requires a task`],
    },
    {
      id: 'required-task-is-an-error',
      level: 'MUST',
      clauses: at('tool-level-negotiation'),
      says: 'The server answers -32601 to a plain call of a tool that requires tasks.',
      tests: [`${CALL} > is required by a tool that requires a task`],
    },
    {
      id: 'transport-is-followed-by-get',
      level: 'MUST',
      clauses: [
        ...at('getting-tasks'),
        ...at('retrieving-task-results'),
        ...at('input-required-status'),
      ],
      says: 'The methods of tasks follow the rules of the transport.',
      tests: [
        `${ASKS} > tasks/result in a session > keeps nothing in memory while the task runs, and returns its result after a kill`,
      ],
    },
    {
      id: 'status-notification-is-optional',
      level: 'MUST NOT',
      clauses: [...at('task-status-notification'), ...at('task-notifications')],
      says: 'The client does not rely on notifications of the status.',
      concerns: 'client',
    },
    {
      id: 'undeclared-task-is-ignored',
      level: 'MUST',
      clauses: at('task-support-and-handling'),
      says: 'A server that does not declare tasks ignores the request for one.',
      tests: [`${CALL} > is ignored by a server without tasks`],
    },
    {
      id: 'id-is-a-string',
      level: 'MUST',
      clauses: at('task-id-requirements'),
      says: 'A task id is a string.',
      tests: [AT_ONCE],
    },
    {
      id: 'id-is-of-the-server',
      level: 'MUST',
      clauses: at('task-id-requirements'),
      says: 'The server generates the id of a task.',
      tests: [AT_ONCE],
    },
    {
      id: 'id-is-unique',
      level: 'MUST',
      clauses: at('task-id-requirements'),
      says: 'Each task has an id of its own.',
      tests: [LIST],
    },
    {
      id: 'begins-working',
      level: 'MUST',
      clauses: at('task-status-lifecycle'),
      says: 'A task begins with the status working.',
      tests: [AT_ONCE],
    },
    {
      id: 'moves-along-valid-paths',
      level: 'MUST',
      clauses: at('task-status-lifecycle'),
      says: 'A task moves between working and input_required, and to one final status.',
      tests: [
        `${ASK} > is sent once on the standalone stream, with the id of the task, and is answered from there`,
      ],
    },
    {
      id: 'final-status-stays',
      level: 'MUST NOT',
      clauses: [...at('task-status-lifecycle'), ...at('task-cancellation')],
      says: 'A task with a final status has it forever.',
      tests: [CANCEL],
    },
    {
      id: 'ask-names-its-task',
      level: 'MUST',
      clauses: [
        ...at('input-required-status'),
        ...at('associating-task-related-messages'),
        ...at('related-task-metadata'),
      ],
      says: 'A request of the server for a task has its id under related-task.',
      tests: [
        `${ASK} > is sent once on the standalone stream, with the id of the task, and is answered from there`,
        `${ASK} > is sent on the stream of tasks/result where one is open, and not on the standalone stream`,
      ],
    },
    {
      id: 'times-are-in-every-task',
      level: 'MUST',
      clauses: at('ttl-and-resource-management'),
      says: 'Every task has createdAt and lastUpdatedAt in the form of ISO 8601.',
      tests: [
        AT_ONCE,
        `${STATUS} > reports the changes of a task on the standalone stream of its session, without related-task`,
      ],
    },
    {
      id: 'ttl-is-the-actual-one',
      level: 'MUST',
      clauses: at('ttl-and-resource-management'),
      says: 'The server returns the actual ttl from tasks/get.',
      tests: [AT_ONCE],
    },
    {
      id: 'task-is-the-response',
      level: 'MUST',
      clauses: at('result-retrieval'),
      says: 'The server answers a request that becomes a task with the task.',
      tests: [AT_ONCE],
    },
    {
      id: 'result-of-a-final-task',
      level: 'MUST',
      clauses: [...at('result-retrieval'), ...at('task-execution-errors')],
      says: 'The server returns from tasks/result what the request would have returned, result or error.',
      tests: [
        `${RESULT} > waits for the end and returns the result with the id of the task`,
        `${RESULT} > returns the JSON-RPC error of a task that failed`,
      ],
    },
    {
      id: 'result-waits-for-the-end',
      level: 'MUST',
      clauses: at('result-retrieval'),
      says: 'The server answers tasks/result when the task has a final status.',
      tests: [
        `${RESULT} > waits for the end and returns the result with the id of the task`,
        `${ASKS} > tasks/result in a session > keeps nothing in memory while the task runs, and returns its result after a kill`,
      ],
    },
    {
      id: 'id-in-params-decides',
      level: 'MUST',
      clauses: at('associating-task-related-messages'),
      says: 'The server reads the task id of a request from its params and ignores related-task.',
      tests: [`${RESULT} > ignores related-task in the request`],
    },
    {
      id: 'result-names-its-task',
      level: 'MUST',
      clauses: at('related-task-metadata'),
      says: 'The result of tasks/result has the task id under related-task.',
      tests: [`${RESULT} > waits for the end and returns the result with the id of the task`],
    },
    {
      id: 'list-has-next-cursor',
      level: 'MUST',
      clauses: at('task-listing'),
      says: 'A page of tasks has nextCursor when there are more.',
      tests: [LIST],
    },
    {
      id: 'cursor-is-opaque',
      level: 'MUST',
      clauses: at('task-listing'),
      says: 'The client treats a cursor as opaque.',
      concerns: 'client',
    },
    {
      id: 'list-has-every-task',
      level: 'MUST',
      clauses: at('task-listing'),
      says: 'The server lists every task that tasks/get returns to the caller.',
      tests: [LIST],
    },
    {
      id: 'final-task-is-not-cancelled',
      level: 'MUST',
      clauses: [...at('task-cancellation'), ...at('protocol-errors')],
      says: 'The server answers -32602 to the cancellation of a task that is over.',
      tests: [CANCEL],
    },
    {
      id: 'cancelled-before-the-answer',
      level: 'MUST',
      clauses: at('task-cancellation'),
      says: 'A task is cancelled before tasks/cancel is answered, and stays so.',
      tests: [CANCEL],
    },
    {
      id: 'unknown-ids-are-errors',
      level: 'MUST',
      clauses: at('protocol-errors'),
      says: 'The server answers -32602 to an unknown task id and an unknown cursor.',
      tests: [UNKNOWN, LIST],
    },
    {
      id: 'tasks-are-bound',
      level: 'MUST',
      clauses: at('task-isolation-and-access-control'),
      says: 'A task belongs to the authorization context of its request, and no other can reach it.',
      tests: [
        LIST,
        'test/durable-objects/task/principals.test.ts > a task of one principal > does not exist for another one',
      ],
    },
    {
      id: 'ids-cannot-be-guessed',
      level: 'MUST',
      clauses: at('task-isolation-and-access-control'),
      says: 'A task id of an anonymous caller cannot be guessed.',
      tests: [
        'test/durable-objects/task/tasks.test.ts > an id that is no task of the caller > is refused with -32602: %s',
      ],
    },
  ],
}
