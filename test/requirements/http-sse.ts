import { mcp, type RequirementDocument } from './requirement.ts'

export const httpSse: RequirementDocument = {
  title: 'HTTP with SSE (2024-11-05)',
  pages: [...mcp('basic/transports', '2024-11-05')],
  requirements: [
    {
      id: 'two-endpoints',
      level: 'MUST',
      clauses: [...mcp('basic/transports#http-with-sse', '2024-11-05')],
      says: 'The server has an endpoint for the SSE stream and one for messages.',
      tests: [
        'test/transport/http-sse/reconnecting.test.ts > a client that reconnects without Last-Event-ID and without initialize > is served',
        'test/clients/sessions/calls.test.ts > the official client %s > lists tools and calls one',
        'test/clients/sessions/identity.test.ts > the endpoint event of the 2024-11-05 transport contains the session id',
      ],
    },
    {
      id: 'endpoint-event',
      level: 'MUST',
      clauses: [...mcp('basic/transports#http-with-sse', '2024-11-05')],
      says: 'The server sends an endpoint event with the URI for messages when a client connects.',
      tests: [
        'test/clients/sessions/identity.test.ts > the endpoint event of the 2024-11-05 transport contains the session id',
        'test/attacks/sessions/requests.test.ts > the endpoint event of GET %s names a path on this host',
      ],
    },
    {
      id: 'messages-by-post',
      level: 'MUST',
      clauses: [...mcp('basic/transports#http-with-sse', '2024-11-05')],
      says: 'The client sends its messages by POST to the URI of the endpoint event.',
      concerns: 'client',
      tests: [
        'test/transport/http-sse/reconnecting.test.ts > a client that reconnects without Last-Event-ID and without initialize > is served',
      ],
    },
  ],
}
