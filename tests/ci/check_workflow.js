// SPDX-License-Identifier: Apache-2.0
// usage: check_workflow.js github|gitlab FILE
// Prints what is wrong with the workflow by the schema of the service, and exits with 1, or prints nothing.

import { validateWorkflow } from '@action-validator/core';
import Ajv from 'ajv';
import { schema } from 'gitlab-ci-local/src/schema/schema.js';
import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';

const [service, file] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');

function gitlabErrors() {
  const check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  return check(load(text)) ? [] : check.errors;
}

const errors = service === 'github' ? validateWorkflow(text).errors : gitlabErrors();
if (errors.length > 0) {
  console.log(JSON.stringify(errors, null, 1));
  process.exitCode = 1;
}
