import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html'
const at = (anchor: string) => [`${PAGE}#${anchor}`]

const CALLS = 'test/durable-objects/task/tasks.test.ts > a call of a tool with tasks'
const TASK = 'test/durable-objects/task/tasks.test.ts > a task'
const PRINCIPALS = 'test/durable-objects/task/principals.test.ts > a task of one principal'
const LISTEN = 'test/durable-objects/task/listening.test.ts > subscriptions/listen with task ids'
const SUITE =
  'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes'

/** The extension `io.modelcontextprotocol/tasks`. */
export const tasks: RequirementDocument = {
  title: 'Tasks (extension)',
  pages: [PAGE],
  requirements: [
    {
      id: 'no-task-without-capability',
      level: 'MUST NOT',
      clauses: at('capability-negotiation'),
      says: 'The server returns no task to a client that does not declare the extension in the request.',
      tests: [
        `${CALLS} > is answered by itself for a client without tasks, if the tool does not require one`,
        `${SUITE} > tasks-capability-negotiation`,
      ],
    },
    {
      id: 'client-handles-either-result',
      level: 'MUST',
      clauses: at('capability-negotiation'),
      says: 'The client handles a result and a task in answer to a supported request.',
      concerns: 'client',
      tests: [`${CALLS} > is answered by itself within the time that its tool allows`],
    },
    {
      id: 'client-refuses-task-of-other-request',
      level: 'MUST',
      clauses: at('capability-negotiation'),
      says: 'The client treats a task in answer to an unsupported request as invalid.',
      concerns: 'client',
    },
    {
      id: 'required-task-is-an-error',
      level: 'MUST',
      clauses: [...at('capability-negotiation'), ...at('protocol-errors')],
      says: 'The server answers -32021 with the extension when it can serve the request as a task only.',
      tests: [
        `${CALLS} > is refused with -32021 for a client without tasks, if the tool requires one`,
        `${SUITE} > tasks-required-task-error`,
      ],
    },
    {
      id: 'result-type-is-task',
      level: 'MUST',
      clauses: at('polymorphic-results'),
      says: 'The server sets resultType to task in the result that creates a task.',
      tests: [`${CALLS} > is a task at once, which completes with the result of the call`],
    },
    {
      id: 'result-type-of-others-is-not-task',
      level: 'MUST NOT',
      clauses: at('polymorphic-results'),
      says: 'The server sets resultType to task in no other result.',
      tests: [`${SUITE} > tasks-dispatch-and-envelope`],
    },
    {
      id: 'failed-is-for-protocol-errors',
      level: 'MUST NOT',
      clauses: [...at('task-status'), ...at('task-execution-errors')],
      says: 'The server gives the status failed to no task whose request ended with a result.',
      tests: [
        `${TASK} > reports the error of a tool as completed, and a JSON-RPC error as failed`,
        `${SUITE} > tasks-lifecycle`,
      ],
    },
    {
      id: 'task-is-durable-first',
      level: 'MUST NOT',
      clauses: at('task-creation'),
      says: 'The server returns no task before tasks/get finds it.',
      tests: [
        'test/faults/tasks/kills.test.ts > a killed server > finishes a task of ten steps, each counted once, over ten kills',
      ],
    },
    {
      id: 'get-answers-the-status',
      level: 'MUST',
      clauses: at('task-polling'),
      says: 'The server answers tasks/get with the task and the members of its status.',
      tests: [
        `${TASK} > asks during its run, with a new key for each ask, also for the same question`,
        `${SUITE} > tasks-lifecycle`,
      ],
    },
    {
      id: 'get-lists-all-open-asks',
      level: 'MUST',
      clauses: at('task-polling'),
      says: 'The server answers tasks/get with every open ask while the status is input_required.',
      tests: [`${TASK} > keeps its other asks open, with their keys, while one is answered`],
    },
    {
      id: 'result-type-of-tasks-methods',
      level: 'MUST',
      clauses: [...at('task-polling'), ...at('task-update-requests'), ...at('task-cancellation')],
      says: 'The results of tasks/get, tasks/update and tasks/cancel have the resultType complete.',
      tests: [`${SUITE} > tasks-dispatch-and-envelope`],
    },
    {
      id: 'client-treats-asks-as-requests',
      level: 'MUST',
      clauses: at('task-update-requests'),
      says: 'The client treats each input request as the equivalent request of a server.',
      concerns: 'client',
    },
    {
      id: 'ask-keys-are-unique',
      level: 'MUST',
      clauses: at('task-update-requests'),
      says: 'The key of each ask is unique in the life of its task.',
      tests: [
        `${TASK} > asks during its run, with a new key for each ask, also for the same question`,
      ],
    },
    {
      id: 'ask-keys-are-not-reused',
      level: 'MUST NOT',
      clauses: at('task-update-requests'),
      says: 'The server uses the key of an answered ask for no other ask.',
      tests: [
        `${TASK} > asks during its run, with a new key for each ask, also for the same question`,
      ],
    },
    {
      id: 'update-is-acknowledged',
      level: 'MUST',
      clauses: at('task-update-requests'),
      says: 'The server acknowledges tasks/update with an empty result.',
      tests: [`${SUITE} > tasks-mrtr-input`],
    },
    {
      id: 'answers-have-open-keys',
      level: 'MUST',
      clauses: at('task-update-requests'),
      says: 'The client answers keys of open asks only.',
      concerns: 'client',
      tests: [
        `${TASK} > asks during its run, with a new key for each ask, also for the same question`,
      ],
    },
    {
      id: 'cancel-is-a-request',
      level: 'MUST NOT',
      clauses: at('task-cancellation'),
      says: 'The client cancels no task with notifications/cancelled.',
      concerns: 'client',
    },
    {
      id: 'cancel-is-acknowledged',
      level: 'MUST',
      clauses: at('task-cancellation'),
      says: 'The server acknowledges tasks/cancel with an empty result.',
      tests: [`${TASK} > cancels its handler through the signal, and stays cancelled`],
    },
    {
      id: 'listening-needs-the-capability',
      level: 'MUST',
      clauses: [...at('task-status-notifications'), ...at('protocol-errors')],
      says: 'The server answers -32021 to a client that listens to tasks without the extension.',
      tests: [`${LISTEN} > is refused %s > for a client that does not declare tasks`],
    },
    {
      id: 'no-progress-for-tasks',
      level: 'MUST NOT',
      clauses: at('task-status-notifications'),
      says: 'The server sends no progress and no log messages of a task on the stream of a listener.',
      tests: [
        `${LISTEN} > acknowledges the tasks of the caller, and sends each state that tasks/get returns`,
      ],
    },
    {
      id: 'name-header-is-the-task',
      level: 'MUST',
      clauses: at('streamable-http-routing-headers'),
      says: 'The client sets Mcp-Name to the task id in every request of a task.',
      concerns: 'client',
      tests: [`${SUITE} > tasks-request-headers`],
    },
    {
      id: 'unknown-task-is-an-error',
      level: 'MUST',
      clauses: at('protocol-errors'),
      says: 'The server answers -32602 to tasks/get for an id that is no task.',
      tests: [
        'test/durable-objects/task/tasks.test.ts > an id that is no task of the caller > is refused with -32602: %s',
      ],
    },
    {
      id: 'methods-need-the-capability',
      level: 'MUST',
      clauses: at('protocol-errors'),
      says: 'The server answers -32021 to the methods of tasks without the extension.',
      tests: [`${SUITE} > tasks-capability-negotiation`],
    },
    {
      id: 'failed-task-has-its-error',
      level: 'MUST',
      clauses: at('task-execution-errors'),
      says: 'A failed task has the JSON-RPC error of its request.',
      tests: [
        'test/durable-objects/task/steps.test.ts > a step of a task > that is not idempotent is not repeated: the task fails and names it',
      ],
    },
    {
      id: 'completed-task-has-its-result',
      level: 'MUST',
      clauses: at('task-execution-errors'),
      says: 'A completed task has the result of its request, also when it reports an error.',
      tests: [`${TASK} > reports the error of a tool as completed, and a JSON-RPC error as failed`],
    },
    {
      id: 'ids-cannot-be-guessed',
      level: 'MUST',
      clauses: at('security-considerations'),
      says: 'A task id cannot be guessed.',
      tests: [
        'test/durable-objects/task/tasks.test.ts > an id that is no task of the caller > is refused with -32602: %s',
      ],
    },
    {
      id: 'access-is-checked',
      level: 'MUST',
      clauses: at('security-considerations'),
      says: 'The server checks at every request of a task that the caller may access it.',
      tests: [`${PRINCIPALS} > does not exist for another one`],
    },
    {
      id: 'host-applies-trust-model',
      level: 'MUST',
      clauses: at('security-considerations'),
      says: 'The host trusts the asks of a task no more than others.',
      concerns: 'host',
    },
  ],
}
