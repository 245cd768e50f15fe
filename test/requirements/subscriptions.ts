import { mcp, type RequirementDocument } from './requirement.ts'

export const subscriptions: RequirementDocument = {
  title: 'Subscriptions',
  pages: [...mcp('basic/patterns/subscriptions', '2026-07-28'), ...mcp('schema', '2026-07-28')],
  requirements: [
    {
      id: 'acknowledgement-comes-first',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/subscriptions#acknowledgment', '2026-07-28'),
        ...mcp('schema#subscriptionsacknowledgednotification', '2026-07-28'),
      ],
      says: 'The acknowledgement is the first message of a subscription.',
      tests: [
        'test/transport/listen.test.ts > subscriptions/listen over %s > acknowledges the filter and then sends each requested change once, in order',
        'test/transport/listen-stream.test.ts > the stream of subscriptions/listen > sends changes that were published while the subscription was opening',
      ],
    },
    {
      id: 'nothing-precedes-the-acknowledgement',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/patterns/subscriptions#acknowledgment', '2026-07-28'),
        ...mcp('schema#subscriptionsacknowledgednotification', '2026-07-28'),
      ],
      says: 'The server sends no notification of a subscription before its acknowledgement.',
      tests: [
        'test/transport/listen-stream.test.ts > the stream of subscriptions/listen > sends changes that were published while the subscription was opening',
        'test/transport/listen-stream.test.ts > the stream of subscriptions/listen > sends an acknowledgement that is larger than the send buffer',
      ],
    },
    {
      id: 'requested-kinds-only',
      level: 'MUST NOT',
      clauses: [
        ...mcp('schema#subscriptionfilter', '2026-07-28'),
        ...mcp('basic/patterns/subscriptions#opening-a-stream', '2026-07-28'),
        ...mcp('schema#subscriptionslistenrequestparams-notifications', '2026-07-28'),
      ],
      says: 'The server sends no kind of notification that the client has not requested.',
      tests: [
        'test/transport/listen.test.ts > subscriptions/listen over %s > sends only requested kinds of change, and only changes for all or for its own subject',
        'test/transport/listen.test.ts > the filter of subscriptions/listen > is reduced to the kinds of change that the server declares',
        'test/clients/subscriptions.test.ts > a listener for the list of %s receives no other changes',
      ],
    },
    {
      id: 'subscriptions-over-stdio',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/subscriptions#receiving-notifications', '2026-07-28')],
      says: 'The client over stdio finds the subscription of a notification by the id in its _meta.',
      concerns: 'specification',
    },
    {
      id: 'reconnection-over-stdio',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/subscriptions#graceful-closure', '2026-07-28')],
      says: 'The client over stdio subscribes again after a reconnection.',
      concerns: 'specification',
    },
  ],
}
