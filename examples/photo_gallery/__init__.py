"""An example application: a Lambda function, a worker that reads SQS, and a rule of EventBridge, fed by one bucket."""
