// The official clients of both eras behind one interface.
import assert from 'node:assert/strict';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { connect } from './client.mjs';
import { MODERN } from './modern.mjs';
import { connectModern, MODES } from './modern-client.mjs';

// Version 1 of the SDK identifies a method by its schema.
const SCHEMAS = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
};

// The key of a method for each client.
const bySchema = (method) => SCHEMAS[method];
const byName = (method) => method;

// Answers all questions, and records them.
const answering = (answers, asked, key) => (client) => {
  for (const [method, answer] of Object.entries(answers))
    client.setRequestHandler(key(method), ({ params }) => {
      asked.push({ method, params });
      return answer;
    });
};

class User {
  constructor({ client, transport }, asked, key = byName) {
    Object.assign(this, { client, transport, asked, key });
  }

  // The parameters of all notifications from now on.
  hear(method) {
    const heard = [];
    this.client.setNotificationHandler(this.key(method), ({ params }) => void heard.push(params));
    return heard;
  }

  call(name, args = {}, options = undefined, _meta = undefined) {
    return this.client.callTool({ name, arguments: args, ...(_meta && { _meta }) }, options);
  }
}

class UserWithSession extends User {
  version = '2025-11-25';

  get spoken() {
    return this.transport.sessionId && this.client.getNegotiatedProtocolVersion();
  }

  async listen({ resourceSubscriptions = [] }) {
    for (const uri of resourceSubscriptions) await this.client.subscribeResource({ uri });
  }

  // Resolves with the parameters that make a call log at this level.
  async logAt(level) {
    await this.client.setLoggingLevel(level);
  }
}

class UserOfVersion1 extends UserWithSession {
  constructor(connected, asked) {
    super(connected, asked, bySchema);
  }

  get spoken() {
    return this.transport.sessionId && this.transport.protocolVersion;
  }

  call(name, args = {}, options = undefined) {
    return this.client.callTool({ name, arguments: args }, undefined, options);
  }
}

class UserWithoutSession extends User {
  version = MODERN;

  get spoken() {
    return !this.transport.sessionId && this.client.getNegotiatedProtocolVersion();
  }

  async listen(notifications) {
    const { honoredFilter } = await this.client.listen(notifications);
    assert.deepEqual(honoredFilter, notifications);
  }

  async logAt(level) {
    return { [LOG_LEVEL_META_KEY]: level };
  }
}

const ofVersion2 = (User, mode) => async (t, url, can, answers) => {
  const asked = [];
  const prepare = answering(answers, asked, byName);
  return new User(await connectModern(t, url, { mode, can, prepare }), asked);
};

async function ofVersion1(t, url, can, answers) {
  const asked = [];
  return new UserOfVersion1(await connect(t, url, can, answering(answers, asked, bySchema)), asked);
}

// Each function connects a client with the capabilities `can` and fixed answers by method.
export const USERS = {
  'SDK 1': ofVersion1,
  'SDK 2, legacy': ofVersion2(UserWithSession, MODES.legacy),
  'SDK 2, automatic': ofVersion2(UserWithoutSession, MODES.auto),
  'SDK 2, modern': ofVersion2(UserWithoutSession, MODES.modern),
};
