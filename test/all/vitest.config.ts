/** `npm run test:all`: what `npm test` runs, and what is slower and rarer. */
import { suite } from '../support/suite.ts';

export default suite({ all: true });
